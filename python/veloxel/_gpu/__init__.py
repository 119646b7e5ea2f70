"""Tensors that stay in a GPU's memory."""
