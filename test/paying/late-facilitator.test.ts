import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { startSeller } from '@tollbook/testing/paying/seller'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { spell } from './metered-endpoint.ts'

type OpenApi = {
  readonly paths: {
    readonly '/test/spell': { readonly get: { readonly 'x-payment-info': { readonly protocols: unknown[] } } }
  }
}

test('a facilitator that is down at the start is offered for metered calls once it answers', async (context) => {
  let isUp = false
  const kinds = [
    { x402Version: 2, scheme: 'exact', network: BASE.id },
    {
      x402Version: 2,
      scheme: 'upto',
      network: BASE.id,
      extra: { facilitatorAddress: devFacilitatorAddress },
    },
  ]
  const server = createServer((_, response) =>
    isUp ? response.end(JSON.stringify({ kinds })) : response.writeHead(503).end(),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const seller = await startSeller({
    endpoints: [spell],
    settings: { TOLLBOOK_FACILITATOR_URL: `http://127.0.0.1:${port}` },
  })
  context.after(async () => {
    await seller.close()
    server.close()
  })
  const ask = () => fetch(`${seller.url}/test/spell?word=toll`)
  const protocols = async () => {
    const response = await fetch(`${seller.url}/openapi.json`)
    const { paths } = (await response.json()) as OpenApi
    return paths['/test/spell'].get['x-payment-info'].protocols
  }

  assert.equal((await ask()).status, 503)
  assert.equal((await protocols()).length, 0)
  isUp = true
  let answer = await ask()
  for (; answer.status === 503; answer = await ask()) await wait(100)
  assert.equal(answer.status, 402)
  const { accepts } = decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')
  assert.deepEqual(
    accepts.map(({ scheme }) => scheme),
    ['upto'],
  )
  assert.equal((await protocols()).length, 1)
})
