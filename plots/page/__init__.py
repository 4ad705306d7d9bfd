"""The report: its page, its images, its folder."""
