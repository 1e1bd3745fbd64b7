import { type ChildNode, type Document, type Element, isTag } from 'domhandler'

/** For each element, those of which it ends an open one, and those that it does not look beyond. */
type Rule = { readonly ends: ReadonlySet<string>; readonly bounds: ReadonlySet<string> }

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))
const TABLE = setOf('table')
/** The elements in which an item or a term may stand again (HTML Standard, 13.2.6.4.7). */
const SCOPES = setOf(
  'applet article aside blockquote button caption center dd details dir dl dt fieldset figcaption figure footer form header hgroup li main menu nav object ol pre section table td th template ul',
)
const without = (scopes: ReadonlySet<string>, names: string) =>
  new Set([...scopes].filter((name) => !setOf(names).has(name)))
const SECTION: Rule = { ends: setOf('thead tbody tfoot tr td th caption colgroup'), bounds: TABLE }
const CELL: Rule = { ends: setOf('td th'), bounds: setOf('table tr') }
const RULES: ReadonlyMap<string, Rule> = new Map([
  ['li', { ends: setOf('li'), bounds: without(SCOPES, 'li') }],
  ['dt', { ends: setOf('dt dd'), bounds: without(SCOPES, 'dt dd') }],
  ['dd', { ends: setOf('dt dd'), bounds: without(SCOPES, 'dt dd') }],
  ['td', CELL],
  ['th', CELL],
  ['tr', { ends: setOf('tr td th caption colgroup'), bounds: setOf('table thead tbody tfoot') }],
  ['thead', SECTION],
  ['tbody', SECTION],
  ['tfoot', SECTION],
])

/** Nodes that stand behind an element that they end, rather than in it. */
type Moved = { readonly ended: Element; readonly nodes: readonly ChildNode[] }

/**
 * Ends items, terms, cells, rows and sections of tables where the next one begins, also if a paragraph or another
 * element in them is still open, as browsers do; the parser ends only the innermost element.
 */
export function closeImplied(tree: Document): void {
  close(tree)
}

/** Returns what has to move out of a parent, which is removed from it. */
function close(parent: Document | Element): Moved | null {
  const settled: ChildNode[] = []
  const lists = [{ nodes: parent.children as readonly ChildNode[], at: 0 }]
  let isChanged = false
  const rest = () => lists.toReversed().flatMap(({ nodes, at }) => nodes.slice(at))
  const end = (moved: Moved | null) => {
    if (isChanged) adopt(parent, settled)
    return moved
  }
  for (let list = lists.at(-1); list !== undefined; list = lists.at(-1)) {
    const child = list.nodes[list.at]
    if (child === undefined) {
      lists.pop()
      continue
    }
    const ended = isTag(child) ? findEnded(child) : null
    isChanged ||= ended !== null
    if (ended !== null) return end({ ended, nodes: rest() })
    list.at += 1
    settled.push(child)
    const moved = isTag(child) ? close(child) : null
    if (moved === null) continue
    isChanged = true
    if (moved.ended !== child) return end({ ended: moved.ended, nodes: [...moved.nodes, ...rest()] })
    for (const node of moved.nodes) node.parent = parent
    lists.push({ nodes: moved.nodes, at: 0 })
  }
  return end(null)
}

function adopt(parent: Document | Element, children: ChildNode[]): void {
  parent.children = children
  for (const [at, node] of children.entries()) {
    node.parent = parent
    node.prev = children[at - 1] ?? null
    node.next = children[at + 1] ?? null
  }
}

/** The outermost open element that an element ends; null if there is none. */
function findEnded(element: Element): Element | null {
  const rule = RULES.get(element.name)
  if (rule === undefined) return null
  let found: Element | null = null
  for (let above = element.parent; above !== null && 'name' in above; above = above.parent) {
    if (rule.ends.has(above.name)) found = above
    else if (rule.bounds.has(above.name)) break
  }
  return found
}
