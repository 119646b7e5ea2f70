"""Results as curves and pictures with axes, drawn by matplotlib, which is imported when the first of them is asked for.

A file draws one kind of result; `look` has what all of them share.
"""
