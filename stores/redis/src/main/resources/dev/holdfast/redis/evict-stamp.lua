local stamp = ARGV[4]
