"""Grading: lessons at the levels of learners, made from a document by splitting, shortening and easier words."""
