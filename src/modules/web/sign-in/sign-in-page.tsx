import type { VNode } from 'preact';
import { PostForm } from '../html/components.js';
import type { WebPage } from '../html/page-sender.js';

export interface SignInForm {
  /** Where to go afterwards. */
  readonly returnTo: string;
  /** Why an attempt has failed, or why the form is there. */
  readonly notice?: string | undefined;
  /** The user name of a failed attempt. */
  readonly login?: string | undefined;
}

export const signInPage = (form: SignInForm): WebPage => ({
  title: 'Sign in',
  content: <SignIn {...form} />,
});

function SignIn({ returnTo, notice, login }: SignInForm): VNode {
  return (
    <div class="narrow">
      <h1>Sign in</h1>
      {notice !== undefined && (
        <p class="notice warn" role="alert">
          {notice}
        </p>
      )}
      <PostForm action="/-/sign_in" class="stacked">
        <input type="hidden" name="return_to" value={returnTo} />
        <label for="login">User name or e-mail</label>
        <input id="login" name="login" autocomplete="username" value={login} required />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
        <button type="submit">Sign in</button>
      </PostForm>
      <details>
        <summary>With a private token instead</summary>
        <PostForm action="/-/sign_in" class="stacked">
          <input type="hidden" name="return_to" value={returnTo} />
          <label for="private_token">Private token</label>
          <input
            id="private_token"
            name="private_token"
            type="password"
            autocomplete="off"
            required
          />
          <button type="submit">Sign in with the token</button>
        </PostForm>
      </details>
    </div>
  );
}
