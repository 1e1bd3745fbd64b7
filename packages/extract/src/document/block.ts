/** Inline content: a run of text inside a block. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  /** Written to Markdown unescaped: a task list checkbox or a formula in dollar signs. */
  | { readonly kind: 'verbatim'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'emphasis' | 'strong' | 'deleted'; readonly content: readonly Inline[] }
  | {
      readonly kind: 'link'
      readonly href: string
      readonly title: string
      readonly content: readonly Inline[]
    }
  | { readonly kind: 'image'; readonly src: string; readonly alt: string; readonly title: string }

export type Alignment = 'left' | 'center' | 'right' | null

/** A document is a list of blocks; Markdown, text and HTML are all written from them. */
export type Block =
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3 | 4 | 5 | 6; readonly content: readonly Inline[] }
  | {
      readonly kind: 'list'
      /** Number of the first item; null for bullets. */
      readonly start: number | null
      /** Whether the items are written without blank lines between them. */
      readonly isTight: boolean
      readonly items: readonly (readonly Block[])[]
    }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'table'
      readonly alignments: readonly Alignment[]
      /** The first row is the header; every row has one cell per alignment. */
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }
  | { readonly kind: 'rule' }
