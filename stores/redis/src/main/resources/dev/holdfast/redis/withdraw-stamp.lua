local stamp = ARGV[3]
