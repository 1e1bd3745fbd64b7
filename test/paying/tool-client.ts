import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export type ToolResult = {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly data?: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly _meta?: { readonly 'x402/payment-response'?: Record<string, unknown> }
}

export type ToolClient = {
  readonly client: Client
  /** @param payment the value of `PAYMENT-SIGNATURE`; sent in `_meta` */
  call(name: string, input: Record<string, unknown>, payment?: string): Promise<ToolResult>
}

/** Connects the SDK's client of the 2025 revisions to the MCP server of a service. */
export async function openToolClient(url: string, headers: Record<string, string> = {}): Promise<ToolClient> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
  await client.connect(transport as never)
  return {
    client,
    call: async (name, input, payment) => {
      const _meta = payment && { 'x402/payment': JSON.parse(Buffer.from(payment, 'base64').toString()) }
      return (await client.callTool({ name, arguments: input, ...(_meta && { _meta }) })) as ToolResult
    },
  }
}
