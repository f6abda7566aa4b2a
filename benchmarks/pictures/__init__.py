"""The pictures of the documents: what commands show on a terminal, figures as a plot, the pipeline as a drawing."""
