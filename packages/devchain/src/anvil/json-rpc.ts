import { createDirectRpc } from '@tollbook/chain/rpc/rpc'

/** Commands to our own anvil: each is sent once, in order, without a timeout. */
export type RpcClient = {
  /** The caller names the type of the method's result. @throws as `Rpc` of packages/chain/src. */
  call<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>
  /** Many commands in one HTTP request, results in the same order. */
  batch(
    commands: readonly { readonly method: string; readonly params: readonly unknown[] }[],
  ): Promise<readonly unknown[]>
}

/** The dump of a chain is one answer. */
const MAX_ANSWER_BYTES = 2 ** 29

export function createRpcClient(url: string): RpcClient {
  const { call, batch } = createDirectRpc({ url, maxAnswerBytes: MAX_ANSWER_BYTES })
  return {
    call: async <Result>(method: string, params: readonly unknown[] = []) =>
      (await call(method, params)) as Result,
    batch: (commands) => batch(commands),
  }
}
