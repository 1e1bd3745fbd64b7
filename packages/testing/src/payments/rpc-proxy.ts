import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/**
 * What happens to a request: `forward` it; `stall`: nothing reaches the node and no answer arrives;
 * `swallow`: the node receives it, and the answer is lost; `break`: the connection is cut.
 */
export type Fate = 'forward' | 'stall' | 'swallow' | 'break'

export type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Answer = { readonly id: number; readonly result?: unknown }

/** A node behind a network that misbehaves on demand. */
export type RpcProxy = {
  readonly url: string
  /** Decides by the methods of a request, in order; a slow decision simulates a slow network. */
  setFate(fate: (methods: readonly string[]) => Fate | Promise<Fate>): void
  /** Changes the results of the node, such as to those of a node that lags. */
  setResults(change: (call: Call, result: unknown) => unknown): void
  close(): Promise<void>
}

/** @param change what the node gets instead of a request's body. */
export async function startRpcProxy(target: string, change = (body: string) => body): Promise<RpcProxy> {
  let fateOf: (methods: readonly string[]) => Fate | Promise<Fate> = () => 'forward'
  let resultOf: (call: Call, result: unknown) => unknown = (_, result) => result
  const server = createServer((request, response) => {
    void (async () => {
      const body = change(await text(request))
      const calls = [JSON.parse(body)].flat() as Call[]
      const fate = await fateOf(calls.map(({ method }) => method))
      // A request that was read whole no longer destroys its socket.
      if (fate === 'break') request.socket.destroy()
      if (fate === 'break' || fate === 'stall') return
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(target, { method: 'POST', headers, body })
      const answered = JSON.parse(await answer.text()) as Answer | Answer[]
      const revise = (one: Answer): Answer => {
        const call = calls.find(({ id }) => id === one.id)
        return call && 'result' in one ? { ...one, result: resultOf(call, one.result) } : one
      }
      const revised = Array.isArray(answered) ? answered.map(revise) : revise(answered)
      if (fate === 'forward') response.writeHead(answer.status, headers).end(JSON.stringify(revised))
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    setFate(fate) {
      fateOf = fate
    },
    setResults(change) {
      resultOf = change
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
