import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { startSeller } from '@tollbook/testing/paying/seller'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { contrast } from '@tollbook/utility/endpoints/api/a11y/contrast/endpoint'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import {
  decodeSignedOffers,
  type EIP712SignedOffer,
  type EIP712SignedReceipt,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  extractReceiptPayload,
  verifyOfferSignatureEIP712,
  verifyReceiptSignatureEIP712,
} from '@x402/extensions/offer-receipt'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const PUBLIC_URL = 'https://data.example'
const KEY = `0x${'5a'.repeat(32)}`

test('behind a public address, a stock client buys, and its offer and receipt are for that address', async () => {
  const port = await findFreePort()
  const seller = await startSeller({
    endpoints: [contrast],
    settings: {
      TOLLBOOK_UTILITY_PORT: `${port}`,
      TOLLBOOK_UTILITY_BASE_URL: PUBLIC_URL,
      TOLLBOOK_OFFER_KEY: KEY,
    },
  })
  try {
    const own = `http://127.0.0.1:${port}`
    const url = `${own}${contrast.path}?fg=%23777&bg=%23fff`
    const { offerSigner } = (await (await fetch(`${own}/.well-known/x402`)).json()) as { offerSigner: string }

    const challenge = (await fetch(url)).headers.get('payment-required') ?? ''
    const offers = extractOffersFromPaymentRequired(decodePaymentRequiredHeader(challenge))
    assert.ok(offers.length > 0)
    for (const offer of offers as EIP712SignedOffer[]) {
      const { signer, payload } = await verifyOfferSignatureEIP712(offer)
      assert.equal(signer.toLowerCase(), offerSigner)
      assert.equal(payload.resourceUrl, PUBLIC_URL + contrast.path)
    }

    const account = privateKeyToAccount(DEV_CLIENT_KEYS[0])
    const chain = createPublicClient({ transport: http(seller.chain.rpcUrl) })
    const scheme = new ExactEvmScheme(toClientEvmSigner(account, chain))
    const answer = await wrapFetchWithPayment(fetch, new x402Client().register(BASE.id, scheme))(url)
    assert.equal(answer.status, 200)
    const receipt = extractReceiptFromResponse(answer) as EIP712SignedReceipt
    const { signer, payload: paid } = await verifyReceiptSignatureEIP712(receipt)
    assert.equal(signer.toLowerCase(), offerSigner)
    assert.equal(paid.resourceUrl, decodeSignedOffers(offers)[0]?.resourceUrl)
    assert.equal(paid.payer, account.address.toLowerCase())
    assert.deepEqual(extractReceiptPayload(receipt), paid)

    const stored = await fetch(`${own}/v1/receipts/${answer.headers.get('tollbook-receipt')}`)
    const { signed } = (await stored.json()) as { signed: unknown }
    assert.deepEqual(signed, receipt)
    assert.ok(!seller.logged().includes(KEY.slice(2)))
  } finally {
    await seller.close()
  }
})
