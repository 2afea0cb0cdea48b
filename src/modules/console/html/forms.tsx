import type { VNode } from 'preact';

/** A moment as fields for times take and send it: without a zone, in UTC. */
export const timeOf = (moment: Date | undefined): string | undefined =>
  moment?.toISOString().slice(0, 16);

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string | number | undefined;
  readonly isNumber?: boolean;
  readonly isTime?: boolean;
  readonly placeholder?: string;
}

/** A field of a form that selects what a list shows. */
export function Field({ label, isNumber, isTime = false, ...input }: FieldProps): VNode {
  const digits = isNumber === true ? ({ inputMode: 'numeric', pattern: '[0-9]*' } as const) : {};
  return (
    <label>
      {label}
      <input type={isTime ? 'datetime-local' : 'text'} {...digits} {...input} />
    </label>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  /** Undefined or empty for any. */
  readonly chosen: string | undefined;
}

/** A choice between values, or any of them. */
export const Choice = ({ name, label, values, chosen = '' }: ChoiceProps): VNode => (
  <label>
    {label}
    <select name={name}>
      {['', ...values].map((value) => (
        <option key={value} value={value} selected={value === chosen}>
          {value === '' ? 'any' : value}
        </option>
      ))}
    </select>
  </label>
);
