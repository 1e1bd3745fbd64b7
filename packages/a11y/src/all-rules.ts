import type { Rule } from './rule.ts'
import { ARIA_ATTRIBUTE_RULES } from './rules/aria-attributes.ts'
import { ARIA_STRUCTURE_RULES } from './rules/aria-structure.ts'
import { BYPASS_RULES } from './rules/bypass.ts'
import { CONTRAST_RULES } from './rules/contrast.ts'
import { DESTINATION_RULES } from './rules/destinations.ts'
import { DOCUMENT_RULES } from './rules/document.ts'
import { FORM_RULES } from './rules/forms.ts'
import { HIDDEN_IMAGE_RULES, IMAGE_WORD_RULES } from './rules/images.ts'
import { LAYOUT_RULES } from './rules/layout.ts'
import { MEDIA_RULES } from './rules/media.ts'
import { NAME_RULES } from './rules/names.ts'
import { SPACING_RULES } from './rules/spacing.ts'
import { STRUCTURE_RULES } from './rules/structure.ts'
import { TABLE_RULES } from './rules/tables.ts'

export const ALL_RULES: readonly Rule[] = [
  ...DOCUMENT_RULES,
  ...BYPASS_RULES,
  ...NAME_RULES,
  ...IMAGE_WORD_RULES,
  ...HIDDEN_IMAGE_RULES,
  ...FORM_RULES,
  ...ARIA_ATTRIBUTE_RULES,
  ...ARIA_STRUCTURE_RULES,
  ...STRUCTURE_RULES,
  ...TABLE_RULES,
  ...CONTRAST_RULES,
  ...SPACING_RULES,
  ...LAYOUT_RULES,
  ...DESTINATION_RULES,
  ...MEDIA_RULES,
]
