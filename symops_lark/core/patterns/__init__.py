"""Regular expressions in linear time: RE2, and what does the same where RE2 is not available."""
