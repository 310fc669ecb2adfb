/** What units, web servers, balancers and proxies are told to do, and the options of a command on lines of their own. */
const SETTING =
  /^\s*(?:SystemCall\w+=|(?:ErrorDocument|Auth(?:Name|Type|UserFile|GroupFile|BasicProvider)|Require|error_page|errorfiles?|errorloc\d*|retry-on|http-(?:request|response|check|error)|http_access|deny_info|(?:failed_|changed_)?when:|until:) |(?!.*(?:fail|error))[a-z_]+ [^:"']*[;{}]\s*$|--?[a-z][\w-]*(?:[= ]\S+(?: \\)?$|(?:[= ]\S+)? {2,}\S))/;

/** Lines of a program or a script, which name errors that nobody met. */
const SOURCE =
  /\berr != nil\b|^\s*\w+(?:, \w+)* := |\.Error\w*\(err\b|\bnew Error\(|\$\(|\|\| echo|\\$|^\s*(?:const|let|var|func|def|return|throw|raise|if|else|elif|for|while)\b.*[({=;]/;

/** What was typed, pasted without the prompt before it. */
export const TYPED =
  /^(?:sudo )?(?:oc|kubectl|podman|docker|skopeo|grep|curl|az|aws|gcloud|rosa|ibmcloud|systemctl|journalctl|cat|echo|export|dig|ping|ls|openssl|virsh) [\w$/."'-]/;

/** A check that passes. */
const PASSES = /^\W{0,4}[✓✔]/u;

/** What pages say around what they show. */
const TOLD_TO_READERS =
  /\b(?:preceding|following) (?:example|output)\b|^\W*(?:If you|To resolve)\b|^\s*\d\. (?:Use|Add|For|Check|Run|Try|Set|Make|Ensure|Verify|Update) |^\s*[*.+-]+ You (?:can|cannot|must)\b|\bfollow the (?:procedure|steps)\b/;

/** What a network card has counted. */
const COUNTERS = /^\s*[RT]X(?::? (?:packets|errors|bytes)\b[: ]|: +bytes)/;

/** What the signs of a table mean. */
const LEGEND = /'\S' = [^,']+, *'\S' = /;

/** Whether a line says nothing of what happened, whatever words it has. */
export const isNoMessage = (text: string): boolean =>
  SETTING.test(text) ||
  SOURCE.test(text) ||
  TYPED.test(text) ||
  PASSES.test(text) ||
  LEGEND.test(text) ||
  COUNTERS.test(text) ||
  TOLD_TO_READERS.test(text);
