/** A piece of text inside a block. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  /** Goes into Markdown as it is: the box of a task, a formula in dollar signs. */
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

/** A document is a list of these; Markdown, text and HTML are written from the same blocks. */
export type Block =
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3 | 4 | 5 | 6; readonly content: readonly Inline[] }
  | {
      readonly kind: 'list'
      /** Number of the first item; null for bullets. */
      readonly start: number | null
      /** Whether its items stand without space between them. */
      readonly isTight: boolean
      readonly items: readonly (readonly Block[])[]
    }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'table'
      readonly alignments: readonly Alignment[]
      /** The first row is the head; all rows have as many cells as there are alignments. */
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }
  | { readonly kind: 'rule' }
