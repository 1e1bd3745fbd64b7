/** One JSON-RPC 2.0 request. */
type RpcRequest = { readonly method: string; readonly params?: readonly unknown[] }

/** Commands to our own anvil: each is sent once, in order, without a timeout. */
export type RpcClient = {
  /** @throws RpcError for an error response; TypeError if the node cannot be reached. */
  call<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>
  /**
   * Many requests in one HTTP request, results in the same order. @throws RpcError for the first error
   * response.
   */
  batch(requests: readonly RpcRequest[]): Promise<readonly unknown[]>
}

/** An error response of the node. */
class RpcError extends Error {
  readonly code: number
  constructor(method: string, error: { readonly code: number; readonly message: string }) {
    super(`${method}: ${error.message}`)
    this.name = 'RpcError'
    this.code = error.code
  }
}

type RpcAnswer = {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export function createRpcClient(url: string): RpcClient {
  const post = async (body: unknown): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const toResult = (method: string, answer: RpcAnswer) => {
    if (answer.error) throw new RpcError(method, answer.error)
    return answer.result
  }
  return {
    async call<Result>(method: string, params: readonly unknown[] = []) {
      const answer = await post({ jsonrpc: '2.0', id: 1, method, params })
      // The caller's type parameter names the result of the method.
      return toResult(method, answer as RpcAnswer) as Result
    },
    async batch(requests) {
      if (requests.length === 0) return []
      const body = requests.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }))
      const answers = (await post(body)) as readonly RpcAnswer[]
      const byId = new Map(answers.map((answer) => [answer.id, answer]))
      return requests.map(({ method }, id) => {
        const answer = byId.get(id)
        if (!answer) throw new RpcError(method, { code: 0, message: 'missing response in the batch' })
        return toResult(method, answer)
      })
    },
  }
}
