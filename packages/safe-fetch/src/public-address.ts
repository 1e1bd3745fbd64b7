import { BlockList, isIP } from 'node:net'

/** IANA IPv4 Special-Purpose Address Registry, with multicast (RFC 5771) and 240/4 (RFC 1112). */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/** Only this block of IPv6 is allocated as global unicast; mapped, NAT64, local and multicast addresses are outside. */
const GLOBAL_IPV6 = ['2000::', 3] as const

/** Parts of 2000::/3 in the IANA IPv6 Special-Purpose Address Registry; 2002::/16 embeds any IPv4 address. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

const specialIpv4 = buildBlockList(SPECIAL_IPV4, 'ipv4')
const globalIpv6 = buildBlockList([GLOBAL_IPV6], 'ipv6')
const specialIpv6 = buildBlockList(SPECIAL_IPV6, 'ipv6')

/**
 * Whether an IP address is an ordinary public one: not a loopback, private, link-local, documentation or
 * multicast address, and not an IPv6 form that contains an IPv4 address. Text that is not an IP address is
 * not public.
 */
export function isPublicAddress(address: string): boolean {
  // A zone such as fe80::1%eth0 names an interface of this machine.
  if (address.includes('%')) return false
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, 'ipv4')
    case 6:
      return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6')
    default:
      return false
  }
}

function buildBlockList(ranges: readonly (readonly [string, number])[], type: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, type)
  return list
}
