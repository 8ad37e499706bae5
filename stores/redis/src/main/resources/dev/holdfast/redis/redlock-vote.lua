-- Vote again. Invariant: a floor is set only where there is none, and only for the loss that it was found out for.
-- KEYS: the node's key, its mark. ARGV: the mark's id, the floor, the longest lease. Answer: 1 or 0.
if redis.call('EXISTS', KEYS[1]) == 1 or redis.call('HGET', KEYS[2], 'id') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'format', '1', 'floor', ARGV[2], 'maxLease', ARGV[3])
redis.call('DEL', KEYS[2])
return 1
