-- Inspect. Invariant: nothing is written. KEYS: a head. ARGV: the stamp. Answers: the time, the head, the shared holders
-- (owner, record, ...), the line (owner, record, ...), and who evicted last, why, when. So many of the shared holders and of
-- the line are shown at most, a page at a time: whoever looks must not keep others waiting.
local MOST_SHOWN, PAGE = 10000, 1000
local head = redis.call('GET', KEYS[1])
local now, shared, line = nil, {}, {}
if head and string.sub(head, @HEAD_FORMAT@, @HEAD_FORMAT@) == '1' then
  local left = redis.call('PTTL', KEYS[1])
  if left > 0 then
    now = struct.unpack('>I8', head, @HEAD_ENDS@) - left
  end
  local flags = string.byte(head, @HEAD_FLAGS@) - 48
  local arriving = ARGV[1] and string.byte(ARGV[1], @STAMP_ARRIVING@) == 49
  if arriving and (flags >= 4 and redis.call('EXISTS', KEYS[1] .. ':h') == 0
    or flags % 2 == 1 and redis.call('EXISTS', KEYS[1] .. ':q') + redis.call('EXISTS', KEYS[1] .. ':w') < 2) then
    return redis.error_reply('TRYAGAIN the keys of this lock are on the move')
  end
  if flags >= 4 then
    if redis.call('HLEN', KEYS[1] .. ':h') <= MOST_SHOWN then
      shared = redis.call('HGETALL', KEYS[1] .. ':h')
    else
      local cursor, seen = '0', {}
      repeat
        local page = redis.call('HSCAN', KEYS[1] .. ':h', cursor, 'COUNT', PAGE)
        cursor = page[1]
        for i = 1, #page[2], 2 do
          -- A hash that is growing may tell one twice.
          if not seen[page[2][i]] then
            seen[page[2][i]] = true
            shared[#shared + 1] = page[2][i]
            shared[#shared + 1] = page[2][i + 1]
          end
        end
      until cursor == '0' or #shared >= 2 * MOST_SHOWN
    end
  end
  if flags % 2 == 1 then
    for at = 0, MOST_SHOWN - 1, PAGE do
      local owners = redis.call('ZRANGE', KEYS[1] .. ':q', at, at + PAGE - 1)
      local records = #owners > 0 and redis.call('HMGET', KEYS[1] .. ':w', unpack(owners)) or {}
      for i = 1, #owners do
        line[#line + 1] = owners[i]
        line[#line + 1] = records[i] or ''
      end
      if #owners < PAGE then
        break
      end
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
