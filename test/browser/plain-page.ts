import { setTimeout } from 'node:timers/promises'

/** What the tests use of an element of linkedom, whose own types need TypeScript's DOM library. */
export type PlainElement = {
  readonly textContent: string
  readonly children: Iterable<PlainElement>
  hidden: boolean
  value: string
  getAttribute(name: string): string | null
  querySelector(selector: string): PlainElement | null
  querySelectorAll(selector: string): Iterable<PlainElement>
  click(): void
}

/** A page of a service whose own scripts run in this process, on the document of linkedom and the network of Node. */
export type PlainPage = {
  readonly document: PlainElement
  /** The text of the status line. */
  status(): string
  /** Clicks on the button with this text. */
  click(text: string): void
  untilAnnounced(text: string): Promise<void>
  untilAnswered(): Promise<void>
}

type Provider = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

export type PlainTab = {
  /** Wallets that announce themselves (EIP-6963), by name. */
  readonly wallets: Readonly<Record<string, Provider>>
  /** What is between the page and the network; default nothing. */
  fetch: typeof fetch
  /** Opens a page of the service at `address`; the storage of the tab remains. */
  open(path: string): Promise<PlainPage>
}

type Linkedom = {
  parseHTML(html: string): {
    readonly document: PlainElement & { getElementById(id: string): PlainElement | null }
    readonly HTMLAudioElement: unknown
  }
}

const LINKEDOM: string = 'linkedom'
const SCRIPT = new URL('../../packages/endpoints/src/paying/browser/pay.js', import.meta.url)
/** `fetch` before a page replaced it. */
export const network = fetch
const HTML = { accept: 'text/html' }
/** A busy machine may take 15 s to look at an unsettled transaction again. */
const MAX_WAIT_MS = 120_000

/** A tab of a browser without a browser: one page at a time, since its scripts use the globals of this process. */
export async function openPlainTab(address: string, wallets: PlainTab['wallets'] = {}): Promise<PlainTab> {
  const { parseHTML } = (await import(LINKEDOM)) as Linkedom
  const sessionStorage = createStorage()
  let opened = 0
  const tab: PlainTab = {
    wallets,
    fetch: network,
    async open(path) {
      const href = new URL(path, address).href
      const html = await (await network(href, { headers: HTML })).text()
      const { document, HTMLAudioElement } = parseHTML(html)
      fillControls(document)
      const events = new EventTarget()
      const globals = {
        document,
        HTMLAudioElement,
        sessionStorage,
        window: {},
        location: { href },
        addEventListener: events.addEventListener.bind(events),
        dispatchEvent: events.dispatchEvent.bind(events),
        // Only the page sends paths; the rest of this process sends whole URLs.
        fetch: (url: string | URL | Request, init?: RequestInit) =>
          typeof url === 'string' && url.startsWith('/')
            ? tab.fetch(new URL(url, href), init)
            : network(url, init),
      }
      for (const [name, value] of Object.entries(globals))
        Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
      events.addEventListener('eip6963:requestProvider', () => {
        for (const [name, provider] of Object.entries(tab.wallets))
          events.dispatchEvent(
            new CustomEvent('eip6963:announceProvider', { detail: { info: { uuid: name, name }, provider } }),
          )
      })
      // A page loads its module anew; those that it imports keep no state.
      opened += 1
      await import(`${SCRIPT.href}?page=${opened}`)
      return drive(document)
    },
  }
  return tab
}

/**
 * What a browser does and linkedom does not: a select without a selected option has the first one, its value can be
 * set, and a textarea does not begin with the line break that HTML allows there.
 */
function fillControls(document: PlainElement): void {
  for (const select of document.querySelectorAll('select')) {
    const option = select.querySelector('option[selected]') ?? select.querySelector('option')
    Object.defineProperty(select, 'value', { value: option?.value ?? '', writable: true })
  }
  for (const area of document.querySelectorAll('textarea')) area.value = area.value.replace(/^\n/, '')
}

/** As a browser's: its members are the keys. */
function createStorage(): object {
  return Object.create({
    getItem(this: Record<string, string>, key: string) {
      return Object.hasOwn(this, key) ? this[key] : null
    },
    setItem(this: Record<string, string>, key: string, value: string) {
      this[key] = value
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key]
    },
  })
}

function drive(document: PlainElement): PlainPage {
  const find = (selector: string) => {
    const found = document.querySelector(selector)
    if (!found) throw new Error(`the page has no ${selector}`)
    return found
  }
  const status = () => find('#status').textContent
  async function until(isSo: () => boolean, what: string): Promise<void> {
    const endMs = Date.now() + MAX_WAIT_MS
    while (!isSo()) {
      if (Date.now() > endMs) throw new Error(`no ${what}; the page announces: ${status()}`)
      await setTimeout(10)
    }
  }
  return {
    document,
    status,
    click(text) {
      const button = [...document.querySelectorAll('button')].find((each) => each.textContent === text)
      if (!button) throw new Error(`the page has no button "${text}"`)
      button.click()
    },
    untilAnnounced: (text) => until(() => status().includes(text), text),
    untilAnswered: () => until(() => !find('#answer').hidden, 'answer'),
  }
}
