"""godaudits' evaluator, detector corpus and paired accuracy program."""
