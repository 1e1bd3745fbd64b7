import { BlockList, isIP } from 'node:net'

/** Finds the caller's address from the socket's address and, if that is a proxy's, the header `X-Forwarded-For`. */
export type ClientAddressReader = (
  socketAddress: string | undefined,
  forwardedFor: () => string | null,
) => string

/**
 * Trusts `X-Forwarded-For` only as far as known proxies wrote it: it is read from the right, and the first
 * address that is not a trusted proxy is the client. Anyone can send the header; only its right end is ours.
 * @param trustedProxies addresses or CIDR blocks, such as `10.0.0.0/8` and `fd00::/8`.
 * @throws RangeError that names an entry which is neither.
 */
export function createClientAddressReader(trustedProxies: readonly string[]): ClientAddressReader {
  const readSocket = createSocketAddressReader()
  if (trustedProxies.length === 0) return (socketAddress) => readSocket(socketAddress) ?? 'unknown'
  const trusted = toBlockList(trustedProxies)
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (socketAddress, forwardedFor) => {
    let address = readSocket(socketAddress)
    if (!address) return 'unknown'
    const hops = (forwardedFor() ?? '').split(',').reverse()
    for (const hop of hops) {
      if (!isTrusted(address)) return address
      const before = toPlainAddress(hop.trim())
      if (!before) return address
      address = before
    }
    return address
  }
}

/** Caches the last socket address; calls come in runs from the same address, above all from a proxy. */
function createSocketAddressReader(): (socketAddress: string | undefined) => string | null {
  let last: string | undefined
  let read: string | null = null
  return (socketAddress = '') => {
    if (socketAddress !== last) {
      read = toPlainAddress(socketAddress)
      last = socketAddress
    }
    return read
  }
}

/**
 * The key that identifies one client for a limit: an IPv4 address, or the /64 of an IPv6 address, because a
 * /64 is the smallest network that is assigned (RFC 6177) and its holder has 2^64 addresses to choose from.
 */
export function groupAddress(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array(Math.max(zeros, 0)).fill('0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** Whether a text is an IP address, or a CIDR block such as `10.0.0.0/8`. */
export function isAddressBlock(text: string): boolean {
  const [address = '', prefix, more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more !== undefined) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32))
}

function toBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    if (!isAddressBlock(entry)) throw new RangeError(`not an address or CIDR block: ${entry}`)
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

/** An address without port, brackets and the IPv4-in-IPv6 wrapping; null when it is not an address. */
function toPlainAddress(text: string): string | null {
  if (isIP(text) === 4) return text
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(bare)?.[1]
  const address = mapped ?? bare
  return isIP(address) === 0 ? null : address
}
