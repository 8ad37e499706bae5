-- Acquire and poll. Invariant: an owner holds all of its names or none, in one step; it is answered with the grant it
-- has, else granted if it fits, else, if it asks for that, it stands in every line with one and the same number.
-- KEYS: heads. ARGV: one record per key, the stamp.
-- Answers: {0, now, hint} contended, {1, now, left, epoch, wanted, ...} granted, {2, part, kind, capacity} mismatch,
-- {3, part, format} cannot be read.
local owner, mode, lease = sub(ARGV[1], @OWNER@, @OWNER_END@), string.byte(ARGV[1], @MODE@) - 48, number(ARGV[1], @LEASE@)
local queue, touch, extend = mode % 2 == 1, mode % 4 >= 2, mode % 8 >= 4
local parts, gone = {}, false
for i = 1, #KEYS do
  parts[i] = load(KEYS[i])
  if refusal(parts[i], i) then
    return refusal(parts[i], i)
  end
end
for i = 1, #parts do
  gone = buried(parts[i], owner) or gone
end
if gone then
  settle()
  return { 0, told(), LONGEST_HINT }
end
for i = 1, #parts do
  refresh(parts[i])
  hear(parts[i], owner)
end
for i = 1, #parts do
  serve(parts[i], owner)
end

local function granted(left, epochs)
  local answer = { 1, told(), left }
  for i = 1, #parts do
    answer[2 * i + 2] = epochs[i]
    answer[2 * i + 3] = wanted(parts[i]) and 1 or 0
  end
  settle()
  return answer
end

local left, epochs, records, count = lease, {}, {}, 0
for i = 1, #parts do
  local epoch, expiry, record = held(parts[i], owner)
  if epoch then
    epochs[i], records[i], count = epoch, record, count + 1
    left = math.min(left, expiry - now - 1)
  end
end
if count == #parts then
  for i = 1, #parts do
    -- A replica can only acknowledge what this connection wrote, so a grant that is to be acknowledged is written again.
    parts[i].dirty = parts[i].dirty or touch or extend
    if extend and parts[i].holder then
      parts[i].expiry = now + lease + 1
    elseif extend then
      call('HSET', KEYS[i] .. ':h', owner, pack('>I8I8', now + lease + 1, epochs[i]) .. sub(records[i], @MODE@))
    end
  end
  return granted(extend and lease or left, epochs)
end
for i = 1, #parts do
  if epochs[i] then
    free(parts[i], owner, records[i])
    serve(parts[i], owner)
  end
end

for i = 1, #parts do
  local part = parts[i]
  local used = part.used > 0 or wanted(part)
  if used and (part.kind ~= sub(ARGV[i], @KIND@, @KIND@) or part.cap ~= number(ARGV[i], @CAPACITY@)) then
    settle()
    return { 2, i, part.kind, part.cap }
  end
  if not used then
    part.kind, part.cap = sub(ARGV[i], @KIND@, @KIND@), number(ARGV[i], @CAPACITY@)
  end
end

local turn, since = arrival(parts[1], owner), now
for i = 1, #parts do
  local record = turn and arrival(parts[i], owner) == turn and waiter(parts[i], owner)
  if record then
    since = select(2, unpack('>I8I8', record))
  else
    turn = nil
  end
end
local fit = true
for i = 1, #parts do
  fit = fit and fits(parts[i], number(ARGV[i], @UNITS@), turn or math.huge)
end
for i = 1, #parts do
  if fit and is_cramped(parts[i]) then
    -- It is neither taken nor to be had, until the head has moved.
    settle()
    return redis.error_reply('TRYAGAIN the keys of this lock are on the move')
  end
end
if fit then
  for i = 1, #parts do
    if turn then
      leave(parts[i], owner)
    end
    epochs[i] = hold(parts[i], owner, ARGV[i], lease)
  end
  return granted(lease, epochs)
end

local hint = LONGEST_HINT
for i = 1, #parts do
  hint = math.min(hint, parts[i].used > 0 and parts[i].expiry - now or IDLE_HINT)
end
if queue then
  for i = 1, #parts do
    sample(parts[i])
  end
  if not turn then
    turn = (now - ORIGIN) * 1000
    for i = 1, #parts do
      local last = parts[i].line and call('ZREVRANGE', KEYS[i] .. ':q', 0, 0, 'WITHSCORES')[2]
      if last and tonumber(last) >= turn then
        turn = tonumber(last) + 1
      end
    end
  end
  for i = 1, #parts do
    local part = parts[i]
    if not part.line then
      local deleted = redis.pcall('DEL', KEYS[i] .. ':q')
      if place and type(deleted) == 'table' then
        -- A line cannot begin where the slot is leaving; the name is taken all the same.
        settle()
        return { 0, told(), math.max(1, math.min(hint, IDLE_HINT)) }
      end
      call('DEL', KEYS[i] .. ':w')
    end
    call('ZADD', KEYS[i] .. ':q', string.format('%.0f', turn), owner)
    call('HSET', KEYS[i] .. ':w', owner, pack('>I8I8', now + PATIENCE, since) .. sub(ARGV[i], @MODE@))
    call('PEXPIRE', KEYS[i] .. ':q', KEPT)
    call('PEXPIRE', KEYS[i] .. ':w', KEPT)
    part.dirty = part.dirty or not part.line
    part.line = true
    if part.holder then
      outbox[#outbox + 1] = { match(part.holder, '^[^\n]*', @TEXT@), 'W' .. pack('>I8', part.last) .. KEYS[i] }
    end
  end
end
-- A holder that is to give back what it only keeps may not have heard it: the first in line tells it again before long.
local heard = settle()
if turn and call('ZRANGE', KEYS[1] .. ':q', 0, 0)[1] == owner then
  hint = math.min(hint, (heard or place) and @FIRST_HINT@ or @DEAF_HINT@)
end
return { 0, told(), math.max(hint, 1) }
