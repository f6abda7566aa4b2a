"""Commands that carry out a task with an agent's room: `symops do` and `symops why`."""
