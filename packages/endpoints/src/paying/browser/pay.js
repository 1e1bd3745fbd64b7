import {
  findOpenPayment,
  findPayment,
  forgetPayment,
  fromBase64,
  isUndecided,
  sendPaid,
  signPayment,
} from './payment.js'
import { Refusal, readRequest, restoreForm } from './request.js'
import { renderAnswer } from './show-answer.js'
import { DEMO_ACCOUNT, discoverWallets } from './wallets.js'

/** @typedef {import('./wallets.js').Wallet} Wallet */

// Around the form, and read instead of it: an input hides the form's member of its name, and links name inputs.
const form = /** @type {HTMLElement} */ (document.getElementById('call'))
const buttons = /** @type {HTMLElement} */ (document.getElementById('pay'))
const status = /** @type {HTMLElement} */ (document.getElementById('status'))
const answer = /** @type {HTMLElement} */ (document.getElementById('answer'))
const endpoint = form.dataset.endpoint ?? ''
const isDemo = 'demo' in form.dataset
let isBusy = false

/** @param {string} text */
function announce(text) {
  status.textContent = text
}

/** @param {boolean} busy whether a call runs; its buttons keep the focus */
function setBusy(busy) {
  isBusy = busy
  for (const button of buttons.children) button.ariaDisabled = `${busy}`
}

/** @param {Wallet} wallet */
function offer(wallet) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `Pay with ${wallet.name}`
  button.addEventListener('click', () => void call(wallet))
  buttons.append(button)
}

/**
 * One call, by a payment that was stored before or by a new one.
 * @param {Wallet | null} wallet
 */
async function call(wallet) {
  if (isBusy) return
  setBusy(true)
  answer.hidden = true
  /** @type {Record<string, string> | undefined} */
  let values
  try {
    const request = readRequest(form)
    values = request.values
    let payment = findPayment(endpoint, values)
    if (!payment) {
      announce('Checking the inputs.')
      const response = await fetch(request.url, request.init)
      if (response.ok) return await show(response)
      const { text, issues } = readProblem(await response.text())
      if (response.status !== 402 || issues || !wallet)
        throw new Refusal(`${issues || text} Nothing was paid.`)
      announce(`Waiting for ${wallet.name}.`)
      payment = await unlessStopped(wallet, (asked) =>
        signPayment({ response, wallet: asked, request, endpoint, isDemo }),
      )
    }
    announce('The payment is signed and sent; waiting for the answer.')
    const response = await sendPaid(request, payment, announce)
    // Every paid answer has a receipt; the sign-in page of a network has none.
    if (response.ok && !response.headers.has('payment-response'))
      throw new Refusal(`The answer is not from the service. ${STORED}`)
    if (response.ok) {
      await show(response)
      return forgetPayment(endpoint, values)
    }
    const { text, code } = readProblem(await response.text())
    if (code === 'payment_reused') throw new Refusal(OF_OTHER_INPUTS)
    if (isUndecided(response, code)) throw new Refusal(`${text} ${STORED}`)
    forgetPayment(endpoint, values)
    if (code === 'payment_spent') throw new Refusal(text)
    if (code === 'payment_expired')
      throw new Refusal(
        'These terms expired before the payment arrived. Nothing was paid; pay again to sign new ones.',
      )
    throw new Refusal(`${text} Nothing was paid.`)
  } catch (error) {
    const isOpen =
      !(error instanceof Refusal) && values !== undefined && findPayment(endpoint, values) !== null
    const text = error instanceof Refusal ? error.message : `The call failed (${error}).`
    announce(isOpen ? `${text} ${STORED}` : text)
  } finally {
    setBusy(false)
  }
}

/**
 * Signs with a wallet that may never answer. Once the person stops waiting, its answers are ignored and it is asked
 * nothing more, so that a late signature is neither stored nor sent.
 * @param {Wallet} wallet
 * @param {(wallet: Wallet) => ReturnType<typeof signPayment>} sign
 */
async function unlessStopped(wallet, sign) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `Stop waiting for ${wallet.name}`
  /** @type {Promise<never>} */
  const stopped = new Promise((_, reject) =>
    button.addEventListener('click', () => {
      buttons.querySelector('button')?.focus()
      reject(new Refusal(`You stopped waiting. What ${wallet.name} signs now is not sent. Nothing was paid.`))
    }),
  )
  /** @type {Wallet['provider']} */
  const provider = { request: (asked) => Promise.race([wallet.provider.request(asked), stopped]) }
  status.after(button)
  try {
    return await Promise.race([stopped, sign({ ...wallet, provider })])
  } finally {
    button.remove()
  }
}

const STORED =
  'A payment that was signed is stored in this tab: pay again to send the same one, which is charged at most once.'

/** What is stored of a call has neither secrets nor the content of files. */
const OF_OTHER_INPUTS =
  'A payment with another secret or file is stored in this tab: enter that one again to get its answer, or pay for these inputs in another tab.'

/** @param {Response} response */
async function show(response) {
  const { headers } = response
  const content = await renderAnswer(response)
  const receipt = /** @type {HTMLElement} */ (document.getElementById('receipt'))
  receipt.replaceChildren()
  const settlement = headers.get('payment-response')
  if (settlement) {
    const { transaction, payer } = JSON.parse(fromBase64(settlement))
    const code = document.createElement('code')
    code.textContent = transaction
    receipt.append(
      `Paid by ${payer} in transaction `,
      isDemo ? code : link(`https://basescan.org/tx/${transaction}`, code),
    )
    const id = headers.get('tollbook-receipt')
    if (id) receipt.append(' · ', link(`/v1/receipts/${encodeURIComponent(id)}`, 'Receipt'))
  }
  document.getElementById('content')?.replaceChildren(content)
  answer.hidden = false
  announce(settlement ? 'Paid. The answer is below.' : 'The answer is below.')
  answer.focus()
}

/**
 * @param {string} href
 * @param {string | Node} content
 */
function link(href, content) {
  const element = document.createElement('a')
  element.href = href
  // The answer is in this page alone.
  element.target = '_blank'
  element.append(content)
  return element
}

/**
 * The sentence, the code and the issues of an error, in any dialect.
 * @param {string} body
 */
function readProblem(body) {
  try {
    const json = JSON.parse(body)
    const { code = '', issues = [] } = json.problem ?? json
    const sentences = issues.map(
      (/** @type {Record<string, string>} */ each) => `${each.parameter} ${each.detail}.`,
    )
    return {
      text: String(json.detail ?? json.error?.message ?? 'The call failed.'),
      code,
      issues: sentences.join(' '),
    }
  } catch {
    return { text: 'The call failed.', code: '', issues: '' }
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if ('free' in form.dataset) void call(null)
  else buttons.querySelector('button')?.focus()
})
if (!('free' in form.dataset) && !document.getElementById('unpayable')) {
  if (isDemo) offer(DEMO_ACCOUNT)
  discoverWallets(offer)
  if (!isDemo)
    setTimeout(
      () =>
        buttons.childElementCount === 0 &&
        announce('No wallet was found in this browser. Install one, or pay from a program as shown below.'),
      1000,
    )
}
const open = findOpenPayment()
if (open) {
  restoreForm(form, open.values)
  if (open.isComplete) void call(null)
  else
    announce(
      'A payment for this call is signed and not answered yet. Choose the file or enter the secret again, and pay: the same payment is sent, and charged at most once.',
    )
}
