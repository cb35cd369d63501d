"""godaudits' files: audits, expectations, detector corpora and the paired accuracy program."""
