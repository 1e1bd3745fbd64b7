import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'
import { isBlock } from '../document/read-blocks.ts'
import { isUnread } from '../document/read-inline.ts'
import { isHidden } from '../extractors/boilerplate-marks.ts'
import { textOf } from '../html-tree.ts'
import { GROUPS, groupsOf } from './name-groups.ts'

/** A position in the tree, linked to its ancestors. */
export type Place = {
  readonly element: Element | Document
  readonly above: Place | null
  readonly depth: number
  /** For each of `GROUPS`, the distance to the nearest ancestor in that group; FAR if there is none. */
  readonly distances: Uint8Array
}

export const FAR = 32

/** A run of text without a block boundary: a paragraph, a heading, an item, a line of links. */
export type Piece = {
  readonly text: string
  readonly nodes: readonly ChildNode[]
  /** Position of its first text. */
  readonly place: Place
  /** The enclosing block. */
  readonly block: Place
  /** Characters inside links. */
  readonly linkChars: number
  readonly links: number
}

/** Splits a tree into its pieces of text, in reading order. */
export function splitPieces(tree: Document): Piece[] {
  const pieces: Piece[] = []
  let line = newLine()
  const end = (block: Place) => {
    const text = line.texts.join('').replace(/\s+/g, ' ').trim()
    if (text !== '' && line.place !== null)
      pieces.push({
        text,
        nodes: line.nodes,
        place: line.place,
        block,
        linkChars: line.linkChars,
        links: line.links,
      })
    line = newLine()
  }
  const visit = (place: Place, block: Place, isLink: boolean) => {
    // Code is one piece, however its lines are marked up.
    const isCode = 'name' in block.element && block.element.name === 'pre'
    for (const child of getChildren(place.element)) {
      const text = textOf(child)
      if (text !== null) addText(line, child, text, place, isLink)
      else if (isTag(child) && !isUnread(child)) {
        const inner = placeIn(place, child)
        const isInLink = isLink || child.name === 'a'
        if (child.name === 'br') line.texts.push('\n')
        if (isBlock(child) && !isCode) {
          end(block)
          visit(inner, inner, isInLink)
          end(inner)
        } else {
          if (child.name === 'a') line.links += 1
          visit(inner, block, isInLink)
        }
      }
    }
  }
  const top = { element: tree, above: null, depth: 0, distances: new Uint8Array(GROUPS.length).fill(FAR) }
  visit(top, top, false)
  end(top)
  return pieces
}

type Line = { texts: string[]; nodes: ChildNode[]; place: Place | null; linkChars: number; links: number }

const newLine = (): Line => ({ texts: [], nodes: [], place: null, linkChars: 0, links: 0 })

function addText(line: Line, node: ChildNode, text: string, place: Place, isLink: boolean): void {
  line.texts.push(text)
  line.nodes.push(node)
  const { length } = text.trim()
  if (length > 0) line.place ??= place
  if (isLink) line.linkChars += length
}

function placeIn(above: Place, element: Element): Place {
  const distances = above.distances.map((distance) => (distance < FAR ? distance + 1 : FAR))
  for (const group of groupsOf(element, isHidden(element))) distances[group] = 0
  return { element, above, depth: above.depth + 1, distances }
}
