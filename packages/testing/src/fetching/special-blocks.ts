/** IANA IPv4 Special-Purpose Address Registry (RFC 6890), with multicast (RFC 5771). */
export const SPECIAL_IPV4_BLOCKS = [
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.88.99.2/32',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
] as const

/** IANA IPv6 Special-Purpose Address Registry, with multicast, site-local, and what is not handed out at all. */
export const SPECIAL_IPV6_BLOCKS = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '4000::/3',
  '5f00::/16',
  '8000::/1',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const

/** The first, the last and two addresses in between of a block, as a URL writes them. */
export function sampleBlock(block: string): readonly string[] {
  const [network = '', prefix = ''] = block.split('/')
  const isIpv6 = network.includes(':')
  const size = 1n << BigInt((isIpv6 ? 128 : 32) - Number(prefix))
  const first = isIpv6 ? readIpv6(network) : readIpv4(network)
  const samples = new Set([first, first + size / 3n, first + size / 2n, first + size - 1n])
  return [...samples].map((address) => (isIpv6 ? writeIpv6(address) : writeIpv4(address)))
}

function readIpv4(text: string): bigint {
  return text.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
}

function writeIpv4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.')
}

function readIpv6(text: string): bigint {
  const [head = '', tail = ''] = text.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const [before, after] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}

function writeIpv6(address: bigint): string {
  return Array.from({ length: 8 }, (_, index) =>
    ((address >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  ).join(':')
}
