import assert from 'node:assert/strict'
import { type HtmlForm, readForms, submitForm } from '@tollbook/testing/catalogue/html-forms'
import { fc } from '@tollbook/testing/property'
import { MERCHANT, merchant, openClaiming, RIVAL } from '@tollbook/testing/report/claiming'
import { onSqliteState } from '@tollbook/testing/state/every-state'

const WALLET = `0x${'1'.repeat(40)}`
/** Of each field, what a person may type into it, and what no person should. */
const VALUES: Readonly<
  Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>
> = {
  address: { good: [merchant.address, ` ${MERCHANT} `], bad: ['0x12', 'shop.example'] },
  statement: { good: ['We test hourly.', 'Two\r\nlines.'], bad: ['x'.repeat(501), 'a\u202eb'] },
  disclosures: { good: [WALLET, `${WALLET},\r\n0x${'2'.repeat(40)}\r\n`], bad: ['none', MERCHANT] },
  max_price_usd: { good: ['250', '0.05'], bad: ['0', '1,5', 'free'] },
  week: { good: ['2026-11-15'], bad: ['last'] },
  text: { good: ['Two buyers are one person.'], bad: ['clear \u001b[2J the screen'] },
  contact: { good: ['ann@shop.example'], bad: ['a\r\nb', 'x'.repeat(201)] },
  q: { good: ['weather', MERCHANT], bad: ['x'.repeat(201)] },
  merchants: { good: [`${MERCHANT}, ${RIVAL}`], bad: [MERCHANT, 'a,b'] },
  nonce: { good: ['0'.repeat(32)], bad: ['x'] },
  signature: { good: [`0x${'ab'.repeat(65)}`], bad: ['0x', 'none'] },
}
const PAGES = [
  '/',
  '/overview',
  '/methodology',
  '/problems',
  '/search?q=weather',
  `/merchants/base/${MERCHANT}`,
]

onSqliteState(
  'every form accepts any of its optional fields empty, or names the field it refuses',
  async (state) => {
    const { app, claim } = await openClaiming(state)
    // The withdrawal is offered to a claimed wallet.
    assert.equal((await claim({ statement: 'x', disclosures: [WALLET], max_price_usd: '5' })).status, 201)
    let clients = 0
    const pages = [...PAGES, '/claims', `/claims?address=${MERCHANT}`]
    const forms = new Map<string, HtmlForm>()
    for (const path of pages)
      for (const form of readForms(
        await (await app.request(path, { headers: { accept: 'text/html' } })).text(),
      ))
        forms.set(JSON.stringify(form), form)
    assert.deepEqual(
      [...new Set([...forms.values()].map(({ method, action }) => `${method} ${action}`))].sort(),
      ['GET /compare', 'GET /search', 'POST /claims/challenge', 'POST /disputes'],
    )
    const [challenge] = [...forms.values()].filter(({ action }) => action === '/claims/challenge')
    assert.ok(challenge)
    const [path, init] = submitForm(challenge, [['address', merchant.address]])
    const signing = readForms(await (await app.request(path, init)).text())
    const sign =
      signing.find(({ action }) => action === '/claims') ?? assert.fail('the text to sign has no form')
    for (const form of [...forms.values(), sign]) await tryForm(form)

    async function tryForm(form: HtmlForm): Promise<void> {
      await fc.assert(
        fc.asyncProperty(arbitraryFilling(form), async ({ filled, badName, button }) => {
          const [path, init] = submitForm(form, [...filled, ...(button ? [button] : [])])
          // Another client each time: five notes a day are accepted of one.
          clients++
          const remoteAddress = `203.0.113.${clients}`
          const answer = await app.request(path, init, { incoming: { socket: { remoteAddress } } } as never)
          const page = await answer.text()
          const shown = `${form.method} ${form.action} ${JSON.stringify(filled)} ${button}: ${answer.status} ${page}`
          assert.match(answer.headers.get('content-type') ?? '', /^text\/html/, shown)
          const isIgnored = button?.[1] === 'withdraw' && badName !== 'address'
          if (badName === null || isIgnored) assert.ok(answer.status < 400 || form === sign, shown)
          else {
            assert.equal(answer.status, 400, shown)
            assert.ok(page.includes(`<code>${badName}`), shown)
          }
        }),
        { numRuns: 30 },
      )
    }
  },
)

/** A filling of the required fields and of any of the others, one of which may be wrong. */
function arbitraryFilling({ fields, buttons }: HtmlForm) {
  const visible = fields.filter(({ isHidden }) => !isHidden)
  return fc
    .record({
      isEmpty: fc.array(fc.boolean(), { minLength: visible.length, maxLength: visible.length }),
      choice: fc.nat(20),
      bad: fc.option(fc.constantFrom(...visible.map(({ name }) => name)), { freq: 2 }),
      button: buttons.length === 0 ? fc.constant(undefined) : fc.constantFrom(...buttons),
    })
    .map(({ isEmpty, choice, bad, button }) => {
      const filled = fields.map(({ name, value, isRequired, isHidden }): [string, string] => {
        if (isHidden) return [name, value]
        const { good, bad: wrong } = VALUES[name] ?? assert.fail(`no values of the field ${name}`)
        if (name === bad) return [name, wrong[choice % wrong.length] ?? '']
        const isLeftOut = isEmpty[visible.findIndex((field) => field.name === name)] && !isRequired
        return [name, isLeftOut ? '' : (good[choice % good.length] ?? '')]
      })
      return { filled, badName: bad, button }
    })
}
