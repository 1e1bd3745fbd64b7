import type { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'

type Document = ConstructorParameters<typeof Readability>[0]

/** Parses a linkedom document: enough of the DOM for Readability, and the page's scripts do not run. */
export function toDocument(html: string): Document {
  // linkedom's types depend on TypeScript's DOM library, which this project does not include.
  return (parseHTML(html) as unknown as { readonly document: Document }).document
}
