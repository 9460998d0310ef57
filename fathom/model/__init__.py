"""What a model is made of: components, schemes, the order of a step, parts that a user adds."""
