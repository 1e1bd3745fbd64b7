import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import {
  decodeSignedOffers,
  extractJWSHeader,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  extractReceiptPayload,
  type JWSSignedOffer,
  type JWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEV_CLIENT_KEYS } from '../../src/devchain/accounts.ts'
import { BASE } from '../../src/money/base.ts'
import { contrast } from '../../src/utility/endpoints/api/a11y/contrast/endpoint.ts'
import { patientHttp } from '../chain/patient-http.ts'
import { findFreePort } from '../servers/free-port.ts'
import { startSeller } from './seller.ts'

const PUBLIC_URL = 'https://data.example'
const KEY = `0x${'5a'.repeat(32)}`

test('behind a public address, a stock client buys, and its offer and receipt are for that address', async () => {
  const port = await findFreePort()
  const seller = await startSeller({
    endpoints: [contrast],
    settings: {
      TOLLBOOK_UTILITY_PORT: `${port}`,
      TOLLBOOK_UTILITY_BASE_URL: PUBLIC_URL,
      TOLLBOOK_SIGNED_OFFERS: 'jws',
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
    for (const offer of offers as JWSSignedOffer[]) {
      assert.equal(extractJWSHeader(offer.signature).kid, offerSigner)
      assert.equal((await verifyOfferSignatureJWS(offer)).resourceUrl, PUBLIC_URL + contrast.path)
    }

    const account = privateKeyToAccount(DEV_CLIENT_KEYS[0])
    const chain = createPublicClient({ transport: patientHttp(seller.chain.rpcUrl) })
    const scheme = new ExactEvmScheme(toClientEvmSigner(account, chain))
    const answer = await wrapFetchWithPayment(fetch, new x402Client().register(BASE.network, scheme))(url)
    assert.equal(answer.status, 200)
    const receipt = extractReceiptFromResponse(answer) as JWSSignedReceipt
    assert.equal(extractJWSHeader(receipt.signature).kid, offerSigner)
    const paid = await verifyReceiptSignatureJWS(receipt)
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
