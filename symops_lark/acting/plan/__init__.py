"""What would happen: changes, conflicts, the policy that allows or asks."""
