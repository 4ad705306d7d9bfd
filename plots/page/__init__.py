"""Makes the report's folder: the page, the images and the tables."""
