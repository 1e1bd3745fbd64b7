import { toRequest } from '../load.ts'
import type { Payers } from '../payers.ts'
import { readPaymentRequired } from '../payers.ts'
import type { ServerProcess } from '../server-process.ts'
import { BENCH_TIER, type StreamPlan, toChatBody } from '../servers/chat-request.ts'

/** One route to the upstream. */
export type ChatSide = {
  readonly name: string
  readonly server: ServerProcess
  /** The bytes of calls, each with its own payment if one is needed. */
  readonly prepare: (count: number, plan?: StreamPlan) => readonly Buffer[] | Promise<readonly Buffer[]>
}

export type ChatSides = { readonly ours: ChatSide; readonly portkey: ChatSide; readonly direct: ChatSide }

/**
 * The package that ours is measured against. bench/package.json pins it and the Hono version that its streams need.
 */
export const PORTKEY = '@portkey-ai/gateway 1.15.2, unpaid'

/** The upstream called through Tollbook with payment, through Portkey without payment, and directly. */
export async function openSides(
  servers: Readonly<Record<'tollbook' | 'portkey' | 'stub', ServerProcess>>,
  payers: Payers,
): Promise<ChatSides> {
  const { tollbook, portkey, stub } = servers
  const unpaid = (
    name: string,
    server: ServerProcess,
    headers: Readonly<Record<string, string>>,
  ): ChatSide => ({
    name,
    server,
    prepare(count, plan) {
      const request = toRequest('/v1/chat/completions', headers, toChatBody(plan))
      return Array.from({ length: count }, () => request)
    },
  })
  return {
    ours: await toChatSide('tollbook, paid', tollbook, payers),
    portkey: unpaid(PORTKEY, portkey, {
      authorization: 'Bearer none',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${stub.url}/v1`,
    }),
    direct: unpaid('direct', stub, { authorization: 'Bearer none' }),
  }
}

/** A server of ours, each of whose calls is paid. */
export async function toChatSide(name: string, server: ServerProcess, payers: Payers): Promise<ChatSide> {
  const path = `/v1/chat/completions/_t/${BENCH_TIER}`
  const paymentRequired = await readPaymentRequired(server.url, path, 'POST')
  return {
    name,
    server,
    prepare(count, plan) {
      const body = toChatBody(plan)
      return payers.sign(paymentRequired, count, (headers) => toRequest(path, headers, body))
    },
  }
}
