/** The properties of WAI-ARIA 1.2 roles that the rules use (https://www.w3.org/TR/wai-aria-1.2/#role_definitions). */
export type RoleFacts = {
  readonly kind: 'widget' | 'structure' | 'landmark' | 'window' | 'live'
  readonly isNamedByContent?: true
  readonly isNameProhibited?: true
  /** Assistive technology presents its children as plain text. */
  readonly hasFlatChildren?: true
  readonly required?: readonly string[]
  /** Supported attributes in addition to the global ones, without `aria-`. */
  readonly supported?: string
  /** The only roles that it may own; it must own at least one of them. */
  readonly owned?: readonly string[]
  /** The roles that may own it; it needs such an owner. */
  readonly context?: readonly string[]
}

const FIELD = 'activedescendant autocomplete multiline placeholder readonly required expanded'
const CELL = 'colindex colspan rowindex rowspan expanded'
const HEADER = `${CELL} sort readonly required selected`
const RANGE = 'valuemax valuemin valuenow valuetext'
const MENU_ITEMS = ['menuitem', 'menuitemcheckbox', 'menuitemradio', 'group', 'separator', 'menu']
const MENUS = ['menu', 'menubar', 'group']
const TABLES = ['table', 'grid', 'treegrid']

const live: RoleFacts = { kind: 'live', supported: 'expanded' }
const landmark: RoleFacts = { kind: 'landmark', supported: 'expanded' }
const structure: RoleFacts = { kind: 'structure', supported: 'expanded' }
const unnamed: RoleFacts = { kind: 'structure', isNameProhibited: true }
const named: RoleFacts = { kind: 'structure', supported: 'expanded', isNamedByContent: true }
const field: RoleFacts = { kind: 'widget', supported: FIELD }
const range: RoleFacts = { kind: 'structure', supported: RANGE, hasFlatChildren: true }
const CHECKABLE: RoleFacts = {
  kind: 'widget',
  isNamedByContent: true,
  hasFlatChildren: true,
  required: ['checked'],
  supported: 'checked readonly required expanded posinset setsize',
}

export const ROLES: ReadonlyMap<string, RoleFacts> = new Map<string, RoleFacts>([
  ...['alert', 'log', 'marquee', 'status', 'timer'].map((role) => [role, live] as const),
  ...['banner', 'complementary', 'contentinfo', 'form', 'main', 'navigation', 'region', 'search'].map(
    (role) => [role, landmark] as const,
  ),
  ...['blockquote', 'comment', 'definition', 'directory', 'document', 'note', 'tabpanel', 'time'].map(
    (role) => [role, structure] as const,
  ),
  ...`caption code deletion emphasis generic insertion mark none paragraph presentation strong subscript suggestion
      superscript`
    .split(/\s+/)
    .map((role) => [role, unnamed] as const),
  ...['term', 'tooltip', 'sectionhead'].map((role) => [role, named] as const),
  ['alertdialog', { kind: 'window', supported: 'modal expanded' }],
  ['dialog', { kind: 'window', supported: 'modal expanded' }],
  ['application', { kind: 'structure', supported: 'activedescendant expanded' }],
  ['article', { kind: 'structure', supported: 'posinset setsize expanded' }],
  [
    'button',
    { kind: 'widget', isNamedByContent: true, hasFlatChildren: true, supported: 'expanded pressed' },
  ],
  ['cell', { ...named, supported: CELL, context: ['row'] }],
  ['checkbox', CHECKABLE],
  ['columnheader', { ...named, supported: HEADER, context: ['row'] }],
  [
    'combobox',
    { kind: 'widget', required: ['expanded', 'controls'], supported: `${FIELD} owns orientation` },
  ],
  ['feed', { ...structure, owned: ['article'] }],
  ['figure', structure],
  ['text', named],
  ['graphics-document', structure],
  ['graphics-object', { kind: 'structure', supported: 'activedescendant expanded' }],
  ['graphics-symbol', { ...structure, hasFlatChildren: true }],
  [
    'grid',
    {
      kind: 'widget',
      supported: 'level multiselectable readonly activedescendant colcount rowcount expanded',
      owned: ['row', 'rowgroup', 'caption'],
    },
  ],
  [
    'gridcell',
    {
      kind: 'widget',
      isNamedByContent: true,
      supported: `${CELL} readonly required selected`,
      context: ['row'],
    },
  ],
  ['group', { kind: 'structure', supported: 'activedescendant expanded' }],
  ['heading', { ...named, required: ['level'], supported: 'level expanded' }],
  ['img', { ...structure, hasFlatChildren: true }],
  ['image', { ...structure, hasFlatChildren: true }],
  ['link', { kind: 'widget', isNamedByContent: true, supported: 'expanded' }],
  ['list', { ...structure, owned: ['listitem'] }],
  [
    'listbox',
    {
      kind: 'widget',
      supported: 'multiselectable readonly required activedescendant expanded orientation',
      owned: ['option', 'group'],
    },
  ],
  ['listitem', { kind: 'structure', supported: 'level posinset setsize expanded', context: ['list'] }],
  ['math', { ...structure, hasFlatChildren: true }],
  ['menu', { kind: 'widget', supported: 'activedescendant expanded orientation', owned: MENU_ITEMS }],
  ['menubar', { kind: 'widget', supported: 'activedescendant expanded orientation', owned: MENU_ITEMS }],
  [
    'menuitem',
    { kind: 'widget', isNamedByContent: true, supported: 'posinset setsize expanded', context: MENUS },
  ],
  ['menuitemcheckbox', { ...CHECKABLE, context: MENUS }],
  ['menuitemradio', { ...CHECKABLE, context: MENUS }],
  ['meter', { ...range, required: ['valuenow'] }],
  [
    'option',
    {
      kind: 'widget',
      isNamedByContent: true,
      hasFlatChildren: true,
      supported: 'selected checked posinset setsize',
      context: ['listbox', 'group'],
    },
  ],
  ['progressbar', range],
  ['radio', { ...CHECKABLE, supported: 'checked posinset setsize required' }],
  ['radiogroup', { kind: 'widget', supported: 'readonly required activedescendant expanded orientation' }],
  [
    'row',
    {
      ...named,
      supported: 'colindex level rowindex selected activedescendant expanded posinset setsize',
      owned: ['cell', 'columnheader', 'gridcell', 'rowheader'],
      context: [...TABLES, 'rowgroup'],
    },
  ],
  ['rowgroup', { kind: 'structure', owned: ['row'], context: TABLES }],
  ['rowheader', { ...named, supported: HEADER, context: ['row'] }],
  [
    'scrollbar',
    {
      kind: 'widget',
      hasFlatChildren: true,
      required: ['controls', 'valuenow'],
      supported: `${RANGE} orientation`,
    },
  ],
  ['searchbox', field],
  ['separator', { kind: 'structure', hasFlatChildren: true, supported: `${RANGE} orientation` }],
  [
    'slider',
    {
      kind: 'widget',
      hasFlatChildren: true,
      required: ['valuenow'],
      supported: `${RANGE} orientation readonly required`,
    },
  ],
  ['spinbutton', { kind: 'widget', supported: `${RANGE} readonly required activedescendant` }],
  ['switch', CHECKABLE],
  [
    'tab',
    {
      kind: 'widget',
      isNamedByContent: true,
      hasFlatChildren: true,
      supported: 'posinset selected setsize expanded',
      context: ['tablist'],
    },
  ],
  ['table', { ...structure, supported: 'colcount rowcount expanded', owned: ['row', 'rowgroup', 'caption'] }],
  [
    'tablist',
    {
      kind: 'widget',
      supported: 'level multiselectable orientation activedescendant expanded',
      owned: ['tab'],
    },
  ],
  ['textbox', field],
  ['toolbar', { kind: 'structure', supported: 'orientation activedescendant expanded' }],
  [
    'tree',
    {
      kind: 'widget',
      supported: 'multiselectable required activedescendant expanded orientation',
      owned: ['treeitem', 'group'],
    },
  ],
  [
    'treegrid',
    {
      kind: 'widget',
      supported:
        'activedescendant colcount expanded level multiselectable orientation readonly required rowcount',
      owned: ['row', 'rowgroup'],
    },
  ],
  [
    'treeitem',
    {
      kind: 'widget',
      isNamedByContent: true,
      supported: 'checked expanded level posinset selected setsize',
      context: ['tree', 'group'],
    },
  ],
])

/** DPUB-ARIA 1.1: roles for books, and the roles that they inherit from. */
export const BOOK_ROLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    link: 'backlink biblioref glossref noteref',
    img: 'cover',
    listitem: 'biblioentry endnote',
    navigation: 'index pagelist toc',
    separator: 'pagebreak',
    note: 'notice tip',
    sectionhead: 'subtitle',
    region: `acknowledgments afterword appendix bibliography chapter conclusion credits endnotes epilogue errata
      foreword glossary introduction part preface prologue`,
    structure:
      'abstract colophon credit dedication epigraph example footnote pullquote qna pageheader pagefooter',
  }).flatMap(([base, names]) => names.split(/\s+/).map((name) => [`doc-${name}`, base] as const)),
)

/** Whether it is a role that authors may use, from WAI-ARIA, its graphics module or DPUB-ARIA. */
export function isRole(name: string): boolean {
  return (ROLES.has(name) && name !== 'sectionhead') || BOOK_ROLES.has(name)
}

export function factsOf(role: string | null): RoleFacts | null {
  if (role === null) return null
  return ROLES.get(role) ?? ROLES.get(BOOK_ROLES.get(role) ?? '') ?? (isRole(role) ? structure : null)
}
