# What drivers in Perl share: operations, and a look at what they did that does not go through the client.
package Operations;
use strict;
use warnings;
use Exporter 'import';
use HTTP::Tiny;
use JSON::PP;

our @EXPORT = qw(operation fetch row status_of equal);

my $SHOWN_CHARACTERS = 500;
my $json = JSON::PP->new->canonical->allow_nonref->utf8;

# Carries out an operation with the checks of what it did, notes whether it passed, and returns what the code returns.
sub operation {
    my ($name, $work) = @_;
    my $result = eval { [$work->()] };
    my $problem = $@ ? "$@" : undef;
    if (defined $problem) {
        $problem =~ s/\s+/ /g;
        $problem = substr $problem, 0, $SHOWN_CHARACTERS;
    }
    open my $results, '>>', $ENV{CLIENT_RESULTS} or die $!;
    print {$results} $json->encode({ operation => $name, problem => $problem }), "\n";
    close $results or die $!;
    return $result ? $result->[0] : undef;
}

# Calls version 4 without the client.
sub fetch {
    my ($route, $token) = @_;
    my $headers = { 'PRIVATE-TOKEN' => $token // $ENV{TOKEN} };
    return HTTP::Tiny->new->get("$ENV{SERVICE}/api/v4$route", { headers => $headers });
}

# Reads what the service has, without the client.
sub row {
    my ($route, $token) = @_;
    my $response = fetch($route, $token);
    die "GET $route answers $response->{status} $response->{content}" if $response->{status} != 200;
    return $json->decode($response->{content});
}

sub status_of { return fetch(@_)->{status} + 0 }

sub equal {
    my ($actual, $expected) = map { $json->encode($_) } @_;
    die "$actual instead of $expected" if $actual ne $expected;
    return;
}

1;
