"""decguard's files: contracts, golden datasets, answers, reports and production records."""
