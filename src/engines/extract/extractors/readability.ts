import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'

export type ReadabilityArticle = {
  /** Markup of the article; empty if none was found. */
  readonly html: string
  readonly byline: string | null
}

type Document = ConstructorParameters<typeof Readability>[0]

/** Extracts the article with Mozilla's Readability, which works best on pages with a single text. */
export function extractByReadability(html: string): ReadabilityArticle {
  try {
    // Classes carry the language of code.
    const article = new Readability(toDocument(html), { keepClasses: true }).parse()
    return { html: article?.content ?? '', byline: article?.byline?.replace(/\s+/g, ' ').trim() || null }
  } catch {
    // Readability throws on some malformed markup, such as a missing body; other extractors take over.
    return { html: '', byline: null }
  }
}

/** Parses a linkedom document: enough of the DOM for Readability, and the page's scripts do not run. */
export function toDocument(html: string): Document {
  // linkedom's types depend on TypeScript's DOM library, which this project does not include.
  return (parseHTML(html) as unknown as { readonly document: Document }).document
}
