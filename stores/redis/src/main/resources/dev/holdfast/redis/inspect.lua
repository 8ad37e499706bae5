-- Inspect. Invariant: nothing is written. KEYS: a head. ARGV: the stamp. Answers: the time, the head, the shared holders
-- (owner, record, ...), the line (owner, record, ...), and who evicted last, why, when.
local MOST_SHOWN = 10000
local head = redis.call('GET', KEYS[1])
local now, shared, line = nil, {}, {}
if head and string.sub(head, 1, 1) == '1' then
  local left = redis.call('PTTL', KEYS[1])
  if left > 0 then
    now = struct.unpack('>I8', head, 3) - left
  end
  local flags = string.byte(head, 2) - 48
  local arriving = ARGV[1] and string.byte(ARGV[1], 9) == 49
  if arriving and (flags >= 4 and redis.call('EXISTS', KEYS[1] .. ':h') == 0
    or flags % 2 == 1 and redis.call('EXISTS', KEYS[1] .. ':q') + redis.call('EXISTS', KEYS[1] .. ':w') < 2) then
    return redis.error_reply('TRYAGAIN the keys of this lock are on the move')
  end
  if flags >= 4 then
    shared = redis.call('HGETALL', KEYS[1] .. ':h')
  end
  if flags % 2 == 1 then
    local owners = redis.call('ZRANGE', KEYS[1] .. ':q', 0, MOST_SHOWN - 1)
    for i = 1, #owners do
      line[2 * i - 1] = owners[i]
      line[2 * i] = redis.call('HGET', KEYS[1] .. ':w', owners[i]) or ''
    end
  end
end
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
-- Where the slot is leaving, the server refuses to look for a key that is not there.
local evicted = redis.pcall('HMGET', KEYS[1] .. ':e', 'by', 'reason', 'at')
return { now, head, shared, line, evicted.err and {} or evicted }
