import { type CustomTransport, custom, http } from 'viem'

const TRIES = 5

/**
 * viem's HTTP transport for the dev chain. anvil rejects a call at `latest` if the next block is mined while
 * it answers ("block height is 41 but requested was 40"); the same call is then retried.
 */
export function patientHttp(url: string): CustomTransport {
  const { request } = http(url)({})
  return custom({
    async request(args: { readonly method: string; readonly params?: unknown }) {
      for (let tried = 1; ; tried++) {
        try {
          return await request(args)
        } catch (error) {
          if (tried === TRIES || !String(error).includes('BlockOutOfRange')) throw error
        }
      }
    },
  })
}
