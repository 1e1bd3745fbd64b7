import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { drawSign, SIGN } from '@tollbook/testing/utility/draw-sign'
import { writePdf } from '@tollbook/testing/write-pdf'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Product } from './product.ts'

const SENTENCE = 'The oldest harbour was built of oak, and nobody knows who paid for it.'
const APP = `<title>App</title><main></main><script>document.querySelector('main').textContent = '${SENTENCE}'</script>`
/** Far above what is read of a body before payment. */
const LONG = `# Tides\n\n${`${SENTENCE}\n\n`.repeat(40_000)}`

/** Settings with which a test's own pages are rendered. */
export const FIRST_MINUTE = { TOLLBOOK_BROWSER: 'auto', TOLLBOOK_PRIVATE_NETWORK: 'allow' } as const

/**
 * Tests that what needs no set-up is bought from a product that has just started.
 * @param open starts it with `FIRST_MINUTE`
 * @param whyNoBrowser why its machine renders nothing
 */
export function testFirstMinute(open: () => Promise<Product>, whyNoBrowser: string | false): void {
  let product: Product
  let site: Awaited<ReturnType<typeof servePages>>
  let scrapeUrl: string
  before(async () => {
    site = await servePages({ '/': APP })
    product = await open()
    scrapeUrl = `${product.addresses.utility}/api/scrape`
    await writeFile(fileAt('oak.pdf'), writePdf([[[72, 700, 11, SENTENCE]]]))
    await writeFile(fileAt('sign.png'), await (await drawSign(100)).png().toBuffer())
    await writeFile(fileAt('tides.md'), LONG)
  })
  after(async () => {
    site?.close()
    assert.equal(await product?.close(), 0)
  })

  const fileAt = (name: string) => join(product.environment.TOLLBOOK_DATA_DIR ?? '', name)

  /** What a call buys, as its user sees it; one that a busy machine is too slow for is refused, and repeated. */
  async function buy(...words: readonly string[]) {
    for (;;) {
      const { code, stdout, stderr } = await product.command('call', '--yes', '--json', ...words)
      const { status, paid_usd, body } = JSON.parse(stdout)
      if (status === 504 && paid_usd === null) continue
      assert.equal(code, 0, stderr + stdout)
      return { paid: paid_usd, ...body }
    }
  }

  test('speech is bought', async () => {
    const order = JSON.stringify({ input: 'Hello there.', voice: 'alloy', response_format: 'wav' })
    const file = fileAt('hello.wav')
    await buy(`${product.addresses.inference}/v1/audio/speech`, '-d', order, '-o', file)
    const wave = await readFile(file)
    assert.equal(wave.toString('latin1', 0, 4) + wave.toString('latin1', 8, 12), 'RIFFWAVE')
    // Two words take more than half a second, of at least 8,000 samples of two bytes.
    assert.ok(wave.length > 8_000, `${wave.length} bytes`)
  })

  test('a page that its script writes is bought as text and as a picture', {
    skip: whyNoBrowser,
  }, async () => {
    const order = JSON.stringify({ url: `${site.url}/`, formats: ['screenshot'] })
    const { paid, markdown, rendered, screenshot } = await buy(scrapeUrl, '-d', order)
    assert.deepEqual([paid, markdown, rendered], ['0.001', `${SENTENCE}\n`, true])
    const picture = Buffer.from(screenshot, 'base64')
    // The width and height of a PNG follow its signature and the name of its first chunk (W3C PNG, 5.2 and 11.2.1).
    assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1280, 800])
  })

  test('the text of a picture is bought by sending its file', async () => {
    const { paid, markdown, extractor } = await buy(scrapeUrl, '-F', `file=@${fileAt('sign.png')}`)
    assert.deepEqual([paid, markdown, extractor], ['0.001', SIGN, 'ocr'])
    const summarizeUrl = `${product.addresses.utility}/api/summarize`
    const summary = await buy(summarizeUrl, '-F', `file=@${fileAt('sign.png')}`, '-F', 'sentences=1')
    assert.deepEqual([summary.paid, summary.sentences.length], ['0.002', 1])
  })

  test('the text of a PDF is bought by sending its file', async () => {
    const { paid, markdown } = await buy(scrapeUrl, '-F', `file=@${fileAt('oak.pdf')}`)
    assert.deepEqual([paid, markdown], ['0.001', `${SENTENCE}\n`])
  })

  test('a file of megabytes is sent, and paid once', async () => {
    const file = `file=@${fileAt('tides.md')}`
    const { paid, bytes, title } = await buy(scrapeUrl, '-F', file, '-F', 'max_chars=100')
    assert.deepEqual([paid, bytes, title], ['0.001', LONG.length, 'Tides'])
  })

  test('@x402/fetch pays for a form with a file', async () => {
    const rpcUrl = product.addresses['dev chain'] ?? ''
    const signer = toClientEvmSigner(
      privateKeyToAccount(DEV_CLIENT_KEYS[3] ?? '0x'),
      createPublicClient({ transport: http(rpcUrl) }),
    )
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(signer))
    for (const [name, content, markdown] of [
      ['oak.pdf', await readFile(fileAt('oak.pdf')), `${SENTENCE}\n`],
      ['tides.md', LONG, `# Tides\n\n${SENTENCE}\n`],
    ] as const) {
      const body = new FormData()
      body.append('file', new File([content], name))
      body.append('max_chars', '100')
      const response = await wrapFetchWithPayment(fetch, client)(scrapeUrl, { method: 'POST', body })
      assert.equal(response.status, 200, await response.clone().text())
      const answer = (await response.json()) as { markdown: string }
      assert.equal(answer.markdown, markdown)
      const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
      assert.deepEqual([receipt.success, receipt.network], [true, 'eip155:8453'])
    }
  })
}
