-- Fence. Invariant: the largest token that a resource has seen only grows, and nothing is done for a smaller one; it
-- grows before anything is read or written. KEYS: the token's key, then the guarded ones. ARGV: the token in 19 digits,
-- then the caller's. Tokens are compared in two halves, because a number of Lua has 53 bits and a token 63.
local seen = redis.call('GET', KEYS[1])
if seen ~= ARGV[1] then
  if seen then
    local high, mine = tonumber(string.sub(seen, 1, 9)), tonumber(string.sub(ARGV[1], 1, 9))
    if high > mine or (high == mine and tonumber(string.sub(seen, 10)) > tonumber(string.sub(ARGV[1], 10))) then
      return redis.error_reply('HOLDFASTSTALE ' .. seen)
    end
  end
  redis.call('SET', KEYS[1], ARGV[1])
end
