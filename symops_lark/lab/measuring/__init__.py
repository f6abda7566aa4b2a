"""What every instrument measures with: statistics, intervals, files of JSON lines. It knows no format and no model."""
