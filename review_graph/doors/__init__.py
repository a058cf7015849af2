"""Ways in from outside. Each parses, asks the service and renders; doors do not know each other."""
