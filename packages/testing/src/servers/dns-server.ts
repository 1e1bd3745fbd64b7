import { createServer, Packet } from 'dns2'

/** Records of one name; a name that is in no zone does not exist. */
export type DnsName = {
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  readonly CNAME?: string
  readonly MX?: readonly (readonly [priority: number, exchange: string])[]
  readonly NS?: readonly string[]
  /** A record is one string, or several that belong together. */
  readonly TXT?: readonly (string | readonly string[])[]
  readonly SOA?: Readonly<Record<'serial' | 'refresh' | 'retry' | 'expiration' | 'minimum', number>> & {
    readonly primary: string
    readonly admin: string
  }
  readonly CAA?: readonly { readonly flags: number; readonly tag: string; readonly value: string }[]
  /** Every question about this name is answered so: 2 is SERVFAIL, 5 is REFUSED. */
  readonly rcode?: number
  /** No question about this name is answered. */
  readonly isSilent?: boolean
}

export type Zone = Readonly<Record<string, DnsName>>

const NXDOMAIN = 3
const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28, CAA: 257 } as const

type Answer = Packet['answers'][number]

/** A DNS server of `dns2` on loopback that knows one zone. */
export async function startDnsServer(zone: Zone): Promise<{ address: string; close(): Promise<void> }> {
  const server = createServer({
    udp: true,
    handle: (request, send) => {
      const response = Packet.createResponseFromRequest(request)
      const [question] = request.questions
      const name = question?.name.toLowerCase() ?? ''
      const records = zone[name]
      if (records?.isSilent) return
      if (!records) response.header.rcode = NXDOMAIN
      else if (records.rcode !== undefined) response.header.rcode = records.rcode
      else {
        for (const data of dataOf(records, Number(question?.type)))
          response.answers.push({ ...data, name, class: 1, ttl: 60, type: Number(question?.type) } as Answer)
      }
      send(response)
    },
  })
  const addresses = await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  return {
    address: `127.0.0.1:${addresses.udp?.port}`,
    close: async () => server.close(),
  }
}

function dataOf(records: DnsName, type: number): readonly object[] {
  switch (type) {
    case TYPES.A:
      return (records.A ?? []).map((address) => ({ address }))
    case TYPES.AAAA:
      return (records.AAAA ?? []).map((address) => ({ address }))
    case TYPES.CNAME:
      return records.CNAME === undefined ? [] : [{ domain: records.CNAME }]
    case TYPES.MX:
      return (records.MX ?? []).map(([priority, exchange]) => ({ priority, exchange }))
    case TYPES.NS:
      return (records.NS ?? []).map((ns) => ({ ns }))
    case TYPES.TXT:
      return (records.TXT ?? []).map((data) => ({ data }))
    case TYPES.SOA:
      return records.SOA ? [records.SOA] : []
    case TYPES.CAA:
      return records.CAA ?? []
    default:
      return []
  }
}
