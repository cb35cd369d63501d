"""decguard's decisions, metrics, gates, regression diff, production check and policy."""
