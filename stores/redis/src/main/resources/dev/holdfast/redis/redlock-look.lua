-- Look. Invariant: a node that has lost its memory counts the time since somebody first noticed, in small steps, so that
-- a clock that is put forward adds one step at most; the mark has an id of its own, so that nothing that was found out
-- about an earlier loss counts for this one.
-- KEYS: the node's key, its mark. ARGV: an id for a new mark, the longest step.
-- Answers: {1, micros, floor, maxLease} it votes; {0, micros, waited, id, alive} it does not, alive being for how long
-- it certainly has not lost anything, {4, format} cannot be read.

-- What may have emptied the node, and what makes it forget that: the command that sets the counts back is the first to be
-- counted again, before Redis 7 without its second word.
local DOUBTS = { 'cmdstat_flush', 'cmdstat_swapdb', 'cmdstat_replicaof', 'cmdstat_slaveof', 'cmdstat_config|resetstat',
  'cmdstat_config:' }

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local micros = (time[1] * 1000 - @ORIGIN@) * 1000 + time[2]
local node = redis.call('HMGET', KEYS[1], 'format', 'floor', 'maxLease')
if node[2] and node[1] ~= '1' then
  return { 4, node[1] or '?' }
end
if node[2] then
  return { 1, micros, tonumber(node[2]), tonumber(node[3]) }
end
local mark = redis.call('HMGET', KEYS[2], 'id', 'last', 'waited')
local id, waited = mark[1], 0
if id then
  waited = tonumber(mark[3]) + math.max(0, math.min(now - tonumber(mark[2]), tonumber(ARGV[2])))
else
  id = ARGV[1]
end
redis.call('HSET', KEYS[2], 'id', id, 'last', string.format('%.0f', now), 'waited', string.format('%.0f', waited))
local alive, info = 0, redis.pcall('INFO', 'everything')
if type(info) == 'string' and tonumber(string.match(info, 'evicted_keys:(%d+)')) == 0 then
  alive = math.max(0, (tonumber(string.match(info, 'uptime_in_seconds:(%d+)')) or 0) - 1) * 1000
  for _, doubt in ipairs(DOUBTS) do
    if string.find(info, doubt, 1, true) then
      alive = 0
    end
  end
end
return { 0, micros, waited, id, alive }
