"""Selection of articles by difficulty and by quotas."""
