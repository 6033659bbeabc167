/* Made by: bot_learn weights 1 8 classic (296 matches of 8000 games). Do not edit. */
69, 130, -50, 47, 112, 356, 0, 40, 114, 162, 0, 24, 14, 3, 13, -1, 32, 18, 32
