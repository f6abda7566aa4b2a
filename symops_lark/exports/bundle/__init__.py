"""Put the modules that read replies into one file, without the code that no entry needs."""
