"""Makes a suspect test fail again under the limits of a small runner, and says why, rank by rank."""
