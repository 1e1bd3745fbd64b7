import type { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'

type Document = ConstructorParameters<typeof Readability>[0]

/** A document of linkedom: enough of the DOM for extractors, and no script of the page runs in it. */
export function toDocument(html: string): Document {
  // Its types lean on the compiler's library of browsers, which this program does without.
  return (parseHTML(html) as unknown as { readonly document: Document }).document
}
